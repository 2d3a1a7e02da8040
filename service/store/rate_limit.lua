#!lua
-- Takes a token from a bucket that refills evenly; it is stored as the moment at which it is full.
-- KEYS: the bucket. ARGV: how many tokens it holds, in how many ms it refills.
-- Returns 0, or how many ms to wait until there is a token.

local limit, period = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local after = full + period / limit
if after - now > period then return math.ceil(after - now - period) end
redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now))
return 0
