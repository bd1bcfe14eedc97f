import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { type Executable, findExecutable } from './executable.ts';

let launched: Browser | undefined;
const contexts: BrowserContext[] = [];

const executable = await findExecutable();

const launch = ({ executablePath, env }: Executable): Promise<Browser> => {
  // Root, as in a container, has no sandbox, nor has the browser that comes with npm.
  const args = env || process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args, ...(env && { env: { ...process.env, ...env } }) });
};

/** A fresh browser session. */
export const openContext = async (width = 1440, height = 1000): Promise<BrowserContext> => {
  launched ??= await launch(executable!);
  const context = await launched.newContext({ viewport: { width, height } });
  context.setDefaultTimeout(110_000);
  contexts.push(context);
  return context;
};

/** Every address that the session asks for, from now on. */
export const requestedFrom = (context: BrowserContext): Set<string> => {
  const origins = new Set<string>();
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') origins.add(origin);
  });
  return origins;
};

/** For a file whose tests open pages. */
export const useChromium = (): void => {
  beforeEach((context) => {
    context.skip(!executable, 'There is no Chromium here: name one with CHROMIUM=/path/to/it.');
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  afterAll(async () => {
    await launched?.close();
    launched = undefined;
  });
};
