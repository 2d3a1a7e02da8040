#!lua
-- Puts bytes beside a game for a while, and sets or clears one due time with them.
-- KEYS: held, due, leases. ARGV: bytes, for how long (ms), "fresh" (only where nothing is held),
--       member of the due list ("" none), time ("" clears).
-- Returns 1, or 0 where something is held already.
local fault = misfit({'string', 'zset', 'hash'})
if fault then return fault end
if ARGV[3] == 'fresh' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[5] ~= '' and not orders(ARGV[5]) then
  return redis.error_reply('ERR a due time is no number')
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if ARGV[4] ~= '' then
  if ARGV[5] == '' then
    redis.call('ZREM', KEYS[2], ARGV[4])
  else
    redis.call('ZADD', KEYS[2], ARGV[5], ARGV[4])
  end
  redis.call('HDEL', KEYS[3], ARGV[4])
end
return 1
