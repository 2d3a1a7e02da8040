#!lua
-- Takes one of so many in a time, which come back evenly: a bucket kept as the moment it is full at.
-- KEYS: the bucket. ARGV: how many it holds, in how many ms all of them come back.
-- Returns 0, or how many ms to wait where none is left.

local most, period = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local after = full + period / most
if after - now > period then return math.ceil(after - now - period) end
redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now))
return 0
