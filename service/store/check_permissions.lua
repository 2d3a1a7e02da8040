#!lua flags=no-writes,allow-oom
-- Returns the names of the commands used by the store that the current user may not call.
-- KEYS: one of the keys. ARGV: channel. Writes nothing.
local denied = {}
local function try(name, ...)
  if not redis.acl_check_cmd(name, ...) then denied[#denied + 1] = name end
end
try('EVALSHA', string.rep('0', 40), 1, KEYS[1])
try('MULTI')
try('EXEC')
try('TYPE', KEYS[1])
try('EXISTS', KEYS[1])
try('DEL', KEYS[1])
try('XADD', KEYS[1], '*', 'a', 'b')
try('XRANGE', KEYS[1], '-', '+')
try('XINFO', 'STREAM', KEYS[1])
try('HGET', KEYS[1], 'a')
try('HMGET', KEYS[1], 'a', 'b')
try('HSET', KEYS[1], 'a', 'b')
try('HDEL', KEYS[1], 'a')
try('HINCRBY', KEYS[1], 'a', 1)
try('HGETALL', KEYS[1])
try('HKEYS', KEYS[1])
try('HLEN', KEYS[1])
try('SET', KEYS[1], 'a', 'PX', 1)
try('GET', KEYS[1])
try('ZADD', KEYS[1], 1, 'a')
try('ZREM', KEYS[1], 'a')
try('ZSCORE', KEYS[1], 'a')
try('ZMSCORE', KEYS[1], 'a')
try('ZRANGE', KEYS[1], 0, 1)
try('ZRANGEBYSCORE', KEYS[1], 0, 1)
try('ZREVRANGEBYSCORE', KEYS[1], 1, 0)
try('TIME')
try('PUBLISH', ARGV[1], 'a')
try('SUBSCRIBE', ARGV[1])
return denied
