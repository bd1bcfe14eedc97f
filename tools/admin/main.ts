import '../cli/compile-cache.ts';

// Static imports are compiled before any of them runs, so before the cache is on.
await import('./program.ts');
