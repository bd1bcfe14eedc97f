import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inflate } from '@sparticuz/chromium';

// The browser of the tests: the one that CHROMIUM names, or the system's, or the one that comes with npm.

export interface Executable {
  executablePath: string;
  /** What it needs beside the variables of this process. */
  env?: Record<string, string>;
}

const usual: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`),
  darwin: ['Google Chrome', 'Chromium'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
};

/** Throws where CHROMIUM names none; undefined where there is none, and npm brings none. */
export const findExecutable = async (): Promise<Executable | undefined> => {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM=${named}: there is no such file.`);
  const executablePath = named ?? usual[process.platform]?.find((path) => existsSync(path));
  if (executablePath) return { executablePath };
  return process.platform === 'linux' && process.arch === 'x64' ? fromNpm() : undefined;
};

const root = join(import.meta.dirname, '../..');

/** @sparticuz/chromium, with the libraries and fonts that it brings. It is unpacked once, into node_modules. */
const fromNpm = async (): Promise<Executable> => {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const packed = join(dirname(entry), '../bin');
  const cache = join(root, 'node_modules/.cache');
  const unpacked = join(cache, 'chromium');
  if (!existsSync(unpacked)) await unpack(packed, cache, unpacked);
  return {
    executablePath: join(unpacked, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(unpacked, 'al2023/lib'),
      FONTCONFIG_PATH: join(unpacked, 'fonts'),
    },
  };
};

const unpack = async (packed: string, cache: string, to: string): Promise<void> => {
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'unpacking-'));
  // It unpacks into the directory for temporary files.
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  const parts = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];
  const unpacking = parts.map((part) => inflate(join(packed, part)));
  if (usual === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usual;
  await Promise.all(unpacking);
  // Its own looks for the fonts where Lambda has them, and without any the browser ends.
  await writeFile(join(directory, 'fonts/fonts.conf'), fontsConf(join(to, 'fonts')));
  try {
    await rename(directory, to);
  } catch (error) {
    // Another process was first.
    if (!existsSync(to)) throw error;
    await rm(directory, { recursive: true });
  }
};

const fontsConf = (directory: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${directory}</dir>
  <cachedir>${directory}/cache</cachedir>
</fontconfig>
`;
