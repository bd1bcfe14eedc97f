import { Command } from 'commander';
import { buildSite } from './site.ts';

new Command('npm run docs:build')
  .description('Writes the reference page to site/, for any web server to host.')
  .parse();
await buildSite('site');
console.log('site/ holds the reference: index.html, its script and openapi.json.');
