#!lua flags=no-writes,allow-oom
-- Reads a stream from a version on, with a key's use and the time, at one moment.
-- KEYS: stream, keys, gone. ARGV: first version, key name.
-- Returns {"gone", why, fact} or {"here", time in ms, use or "", entries}.
local gone = tombstone(KEYS[3])
if gone then return gone end
local time = redis.call('TIME')
local use = ARGV[2] ~= '' and redis.call('HGET', KEYS[2], ARGV[2]) or ''
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
return {'here', now, use, redis.call('XRANGE', KEYS[1], ARGV[1] .. '-0', '+')}
