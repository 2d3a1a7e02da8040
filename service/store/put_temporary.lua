#!lua
-- Keeps bytes under a game's id for a limited time, and sets or clears one due time with them.
-- KEYS: held, due, leases.
-- ARGV: bytes, how long to keep them (ms), "absent" (only where none are kept) or "",
--       member of the due list ("": none), time ("" clears).
-- Returns 1, or 0 where bytes are kept already.
local fault = wrong_type({'string', 'zset', 'hash'})
if fault then return fault end
if ARGV[3] == 'absent' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[5] ~= '' and not is_number(ARGV[5]) then
  return redis.error_reply('ERR a due time is not a number')
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
