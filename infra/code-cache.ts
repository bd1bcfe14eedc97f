// V8's code cache of a function: what is compiled of it, so that no process need do that when it starts. V8 takes one
// only from its own version, with its own flags. So a function makes its own, in Lambda, when it is asked to.
import type { Script } from 'node:vm';

export type Handler = (event: unknown, context: unknown) => unknown;

/**
 * Asks a function for its code cache, in place of an event. Only who may invoke the function can: what API Gateway and
 * other services hand over has other names.
 */
export const cacheRequest = { code_cache: true };

export interface GivenCache {
  /** SHA-256 of the code, in hexadecimal. V8 itself compares only its length. */
  code_sha256: string;
  /** In base64. */
  cache: string;
  /** Whether V8 took the cache that the function was deployed with; null where it had none. */
  taken: boolean | null;
}

/** The file of a cache, in a directory of many. */
export const cacheFileOf = (codeSha256: string): string => `${codeSha256}.cache`;

const isRequest = (event: unknown): boolean =>
  (event as Partial<typeof cacheRequest> | null)?.code_cache !== undefined &&
  Object.keys(event as object).length === 1;

/** Loads `function.js` of the directory, with `function.cache` where that is there. Gives a cache when it is asked for one. */
export const load = (directory: string, require: NodeJS.Require): Handler => {
  const { existsSync, readFileSync }: typeof import('node:fs') = require('node:fs');
  const file = `${directory}/function.js`;
  const cacheFile = `${directory}/function.cache`;

  const compiled = (filename: string, cachedData?: Buffer): Script => {
    const vm: typeof import('node:vm') = require('node:vm');
    const source = `(function (exports, require, module) {${readFileSync(file, 'utf8')}\n})`;
    return new vm.Script(source, { filename, ...(cachedData && { cachedData }) });
  };
  const run = (script: Script): Handler => {
    const module = { exports: {} as { handler: Handler } };
    script.runInThisContext()(module.exports, require, module);
    return module.exports.handler;
  };

  const script = existsSync(cacheFile) ? compiled(file, readFileSync(cacheFile)) : undefined;
  const handler: Handler = script ? run(script) : require(file).handler;

  const give = (): GivenCache => {
    const { createHash }: typeof import('node:crypto') = require('node:crypto');
    // V8 remembers by its name what this process has compiled of the file, which may be only a part. So it gets another
    // name here. The cache keeps none.
    const whole = wholly(() => compiled(`${file}#${performance.now()}`), require);
    return {
      code_sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
      cache: whole.createCachedData().toString('base64'),
      taken: script ? !script.cachedDataRejected : null,
    };
  };
  return async (event, context) => (isRequest(event) ? give() : handler(event, context));
};

/** Compiles every function, where V8 would wait until each is called. */
const wholly = (compile: () => Script, require: NodeJS.Require): Script => {
  const { setFlagsFromString }: typeof import('node:v8') = require('node:v8');
  setFlagsFromString('--no-lazy');
  try {
    return compile();
  } finally {
    // The cache names the flags, and would be refused for another.
    setFlagsFromString('--lazy');
  }
};
