#!lua
-- Sets, clears or moves one due time.
-- KEYS: due, leases.
-- ARGV: member, time ("" clears), condition ("": none; "present": the member has a due time, whose
--       lease goes on; or the exact time it must have).
-- Returns 1, or 0 where the condition does not hold.
local fault = wrong_type({'zset', 'hash'})
if fault then return fault end
local present = redis.call('ZSCORE', KEYS[1], ARGV[1])
if ARGV[3] == 'present' then
  if present then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) end
  return present and 1 or 0
end
if ARGV[3] ~= '' and (not present or tonumber(present) ~= tonumber(ARGV[3])) then return 0 end
if ARGV[2] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
end
redis.call('HDEL', KEYS[2], ARGV[1])
return 1
