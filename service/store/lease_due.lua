#!lua
-- Leases the work that is due: postpones each due time by its kind's lease and counts the attempt.
-- So work whose worker crashed becomes due again by itself.
-- KEYS: due, leases. ARGV: limit, lease of other kinds, then kind and lease (ms) of each.
-- Returns in how many ms the next work is due (nil: there is none), and of each piece leased
-- its member, due time and count of attempts, oldest first.
local fault = wrong_type({'zset', 'hash'})
if fault then return fault end
local present = server_time()
local leases = {}
for at = 3, #ARGV, 2 do leases[ARGV[at]] = tonumber(ARGV[at + 1]) end
local leased = {false}
local found = redis.call('ZRANGE', KEYS[1], '-inf', present, 'BYSCORE', 'LIMIT', 0, ARGV[1],
  'WITHSCORES')
for at = 1, #found, 2 do
  local member = found[at]
  local lease = leases[string.match(member, ':([^-]*)')] or tonumber(ARGV[2])
  redis.call('ZADD', KEYS[1], 'XX', present + lease, member)
  leased[#leased + 1] = member
  leased[#leased + 1] = found[at + 1]
  leased[#leased + 1] = redis.call('HINCRBY', KEYS[2], member, 1)
end
local following = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if following then leased[1] = math.max(0, math.ceil(tonumber(following)) - present) end
return leased
