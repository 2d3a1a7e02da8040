#!lua
-- Removes a stream of exactly one version with all that belongs to it; leaves a tombstone.
-- KEYS: stream, keys, gone, due, leases, then index lists.
-- ARGV: game, version, why, fact, then the kinds of work that end with it.
-- Returns {"gone", why, fact}, {"conflict"} or {"won"}.
if redis.call('EXISTS', KEYS[3]) == 1 then
  local fact = redis.call('HMGET', KEYS[3], 'why', 'fact')
  return {'gone', fact[1], fact[2]}
end
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not newest or newest[1] ~= ARGV[2] .. '-0' then return {'conflict'} end
redis.call('HSET', KEYS[3], 'why', ARGV[3], 'fact', ARGV[4])
redis.call('DEL', KEYS[1], KEYS[2])
for i = 5, #ARGV do
  local member = ARGV[1] .. ':' .. ARGV[i]
  redis.call('ZREM', KEYS[4], member)
  redis.call('HDEL', KEYS[5], member)
end
for i = 6, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
return {'won'}
