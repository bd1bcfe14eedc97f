import { buildSite } from './site.ts';

// What `npm run docs:build` runs.
await buildSite('site');
console.log('site/ holds the reference: index.html, its script and openapi.json.');
