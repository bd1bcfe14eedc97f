import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Loaded before a command (`node --import`). What Node.js compiles is kept for the next start, also by processes that the
// command starts. It is taken for the very same source only.
const directory = join(import.meta.dirname, '../../node_modules/.cache/node');
enableCompileCache(directory);
process.env.NODE_COMPILE_CACHE = directory;
