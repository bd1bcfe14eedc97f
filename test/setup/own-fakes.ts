import timers from 'node:timers';
import { afterAll, vi } from 'vitest';

// Files that share a process share its globals. Where one leaves a timer or a clock that it faked, the next ones
// would wait for it for ever.
afterAll(() => {
  // As Vitest does after each file: a spy on a fake brings the fake back.
  vi.restoreAllMocks();
  const left = [
    globalThis.setTimeout !== timers.setTimeout && 'setTimeout',
    globalThis.setInterval !== timers.setInterval && 'setInterval',
    !String(Date).includes('[native code]') && 'Date',
    !String(Math.random).includes('[native code]') && 'Math.random',
  ].filter(Boolean);
  if (left.length > 0) throw new Error(`These are still fakes after this file: ${left.join(', ')}`);
});
