// Which headers a REST API passes between a client and a Lambda function, as "Amazon API Gateway important notes" has
// them. Where AWS was seen to do otherwise (`Content-Length`), what was seen.

/** Never reach the function. */
const keptFromFunctions = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

/** Never reach the client. */
const keptFromClients = new Set([
  'expect',
  'host',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Reach the client under another name only. */
const renamed = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);

/** Whether a function is given this header of a request. A signature for AWS (version 4) is for the gateway. */
export const reachesFunction = (name: string, value: string): boolean => {
  const lower = name.toLowerCase();
  const isSignature = lower === 'authorization' && value.startsWith('AWS4-');
  return !keptFromFunctions.has(lower) && !isSignature;
};

/** The headers of a function's answer as a client gets them. An answer that names no content type is JSON. */
export const headersForClient = <T>(headers: Record<string, T>): Record<string, T | string> => {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, T][] => {
    const lower = name.toLowerCase();
    if (keptFromClients.has(lower)) return [];
    return [[renamed.has(lower) ? `x-amzn-Remapped-${name}` : name, value]];
  });
  const hasType = passed.some(([name]) => name.toLowerCase() === 'content-type');
  return { ...(!hasType && { 'Content-Type': 'application/json' }), ...Object.fromEntries(passed) };
};
