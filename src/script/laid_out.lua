-- Any operation on a lock that is not the plain mutex.
--
-- What a layout can do, in Lua: a function of the lock that gives
--   is_ours()         whether our hold stands here
--   take(is_acquire)  takes it, or re-times it where it is ours; a refusal if that can't be, and
--                     whether it is in vain to wait in this queue. Also puts it back (a heal), where
--                     newcomers' manners do not matter
--   taken()           if there: called after an acquire was granted
--   retime()          never shortens; only where it is ours
--   drop()            lets go of it; only where it is ours
--   drop_rest()       if there: lets go of what is left of it, where it is not ours as a whole
--   held_by()         if there: the refusal of what the lock key holds, or `F`; by default of a string
--   blocker()         if there: the refusal of what stands in its way, or `F`; by default held_by()
--   same_fence(draw)  if there: the fence of a grant; by default draw(), the next one
--   is_sealed(token)  if there: whether the node has that token for ours, though its fence is not below it
--   lifted(token)     if there: called after the fence was sealed or lifted with its token
--   keeps_no_turn     if there: whoever is next is told, and the name not kept for it
--   pass_on()         if there: called after a release let go of it, and has queued up who comes next
--   leave()           if there: what a leave does instead of the plain one
--   fences            if there: the fence keys, where they are several; the token is above all
-- The lock has `key`, `queue`, `keys` and `args` of the layout, `owner`, `ttl`, `fence` (the fence key),
-- `call`, `try`; of one who waits `inbox`, `ticket`, `waiter` (its place in the
-- queue) and `turn` (what the lock key holds if it is its turn); `refuse(holder)` for a lock key that is a
-- string, `give_turn(key, queue)` and `tell_readers()`.

local function laid_out_step()
  local function held_by()
    return layout.held_by and layout.held_by() or refuse(call('GET', key))
  end

  local function draw_fence()
    return store(next_fence())
  end

  layout = layouts[kind]({
    call = call, try = try, give_turn = give_turn, key = key, fence = fence_key, queue = queue, owner = owner, ttl = tonumber(ttl), refuse = refuse, foreign = foreign, unit_of = unit_of,
    keys = { unpack(keys, k + 3, k_end) }, args = { unpack(args, a + 5, a_end) },
    waiter = waiter, turn = waiter and 'turn:' .. args[a + 2], inbox = waiter and args[a + 2], ticket = waiter and tonumber(args[a + 3]), tell_readers = tell_readers,
  })
  fences = layout.fences or fences
  if code == 'L' then return layout.leave() or 0 end
  local is_ours = layout.is_ours()
  if code == 'A' or code == 'W' then
    local refusal, is_in_vain = layout.take(true)
    if refusal then
      if not is_in_vain then pcall(queue_up) end
      return refusal
    end
    is_created = not is_ours
    local reply = given == '' and 0 or layout.same_fence and layout.same_fence(draw_fence) or draw_fence()
    if waiter then try('ZREM', queue, waiter) end
    if layout.taken then pcall(layout.taken) end
    return reply
  elseif code == 'S' then
    if not is_ours then return layout.blocker and layout.blocker() or held_by() end
    if not is_behind(given) then return layout.is_sealed and layout.is_sealed(given) and given or 'H0:' end
    store(given)
    if layout.lifted then layout.lifted(given) end
    return given
  elseif code == 'E' then
    if not is_ours then return layout.blocker and layout.blocker() or held_by() end
    layout.retime()
    return 0
  end
  if not is_heal then
    if is_ours then layout.drop() elseif layout.drop_rest then layout.drop_rest() end
  end
  lift(given)
  if is_heal then
    local refusal = not is_ours and layout.take(false)
    if not refusal and layout.lifted then layout.lifted(given) end
    return refusal or 0
  end
  if layout.lifted then pcall(layout.lifted, given) end
  pcall(queue_up)
  if is_ours and layout.pass_on then pcall(layout.pass_on) end
  local refusal = not is_ours and held_by()
  -- Where nothing keeps the name for whom it is told, only who let go of it tells: else a process could
  -- wake itself at the speed of the network.
  local may_tell = is_ours or not layout.keeps_no_turn
  if may_tell and call('EXISTS', key) == 0 then pcall(give_turn, key, queue, layout.keeps_no_turn) end
  return refusal or 0
end
