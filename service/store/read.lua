#!lua flags=no-writes,allow-oom
-- Reads a part of a stream, the use of a key and the time, at one moment.
-- KEYS: stream, keys, gone. ARGV: first version, key name, last id or +.
-- Returns {{why, fact}, time, use, entries}, nil for what there is not.
return {
  redis.call('HMGET', KEYS[3], 'why', 'fact'),
  redis.call('TIME'),
  redis.call('HGET', KEYS[2], ARGV[2]),
  redis.call('XRANGE', KEYS[1], ARGV[1] .. '-0', ARGV[3]),
}
