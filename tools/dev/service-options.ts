import { wholeNumber } from '../cli/whole-number.ts';

// For Commander: which of the services that run in this checkout a command is meant for.

export const portOption = [
  '--port <n>',
  'the service at this port, if npm run dev runs several here',
  wholeNumber(1, 65_535),
] as const;

export const readyFileOption = [
  '--ready-file <file>',
  'the service that npm run dev has written this file for',
] as const;
