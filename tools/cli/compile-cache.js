import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Loaded before a command (`node --import`). What Node.js compiles is kept for the next start, also by processes that the
// command starts. It is taken for the very same source only. This file is JavaScript, as it is loaded before the cache: for
// TypeScript, Node.js would load a compiler then, which takes each command a tenth of a second.
const directory = join(import.meta.dirname, '../../node_modules/.cache/node');
enableCompileCache(directory);
process.env.NODE_COMPILE_CACHE = directory;
