import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach } from 'vitest';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The name of a page of the web, after its owner has changed it to lead to whoever reads the page. */
export const reboundName = 'rebound.example';

let launched: Browser | undefined;
const contexts: BrowserContext[] = [];

/** A fresh browser session. Chromium has to be there: without it, nothing here would be shown. */
export const openContext = async (width = 1440, height = 1000): Promise<BrowserContext> => {
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no ${executablePath}: apt-get install chromium, or name one with CHROMIUM=/path/to/it`,
    );
  }
  const args = [`--host-resolver-rules=MAP ${reboundName} 127.0.0.1`];
  // Root, as in a container, has no sandbox.
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  launched ??= await chromium.launch({ executablePath, args });
  const context = await launched.newContext({ viewport: { width, height } });
  context.setDefaultTimeout(45_000);
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

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

afterAll(async () => {
  await launched?.close();
  launched = undefined;
});
