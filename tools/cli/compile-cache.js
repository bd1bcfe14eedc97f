import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Loaded before a command (`node --import`). What Node.js compiles is kept for the next start, also by processes that the
// command starts. It is taken for the very same source only. This file is JavaScript: to strip the types of one that is
// loaded before the cache is there, Node.js loads its compiler of TypeScript, a tenth of a second for each command.
const directory = join(import.meta.dirname, '../../node_modules/.cache/node');
enableCompileCache(directory);
process.env.NODE_COMPILE_CACHE = directory;
