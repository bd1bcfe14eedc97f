import { join } from 'node:path';

// What tests of the runner itself need is what tests of its service need.
export {
  eventually,
  ownDirectory,
  send,
  sendRaw,
} from '../../../packages/runner/test/support.ts';

export const root = join(import.meta.dirname, '../../..');
