import { handleHelp } from '../cli/help.ts';
import { buildSite } from './site.ts';

const usage = `npm run docs:build

Writes the reference page to site/, for any web server to host.

  --help   show this`;

if (!handleHelp(usage)) {
  await buildSite('site');
  console.log('site/ holds the reference: index.html, its script and openapi.json.');
}
