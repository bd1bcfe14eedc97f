import http from 'node:http';
import { CliError } from './cli-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The part of Node.js that takes proxies. */
export interface ProxySupport {
  version: string;
  /** Part of Node.js since 24.14. Has `fetch` use proxies, in all of the process. */
  setGlobalProxyFromEnv?: ((variables: Record<string, string>) => unknown) | undefined;
}

const ownSupport: ProxySupport = {
  version: process.versions.node,
  ...('setGlobalProxyFromEnv' in http && {
    setGlobalProxyFromEnv: http.setGlobalProxyFromEnv as never,
  }),
};

/**
 * Sends requests to the service through the proxy that the environment names: `HTTPS_PROXY` or `HTTP_PROXY`, by the service’s URL, but not
 * where `NO_PROXY` has its host; all in lower case, too. Throws `CliError` where this Node.js can’t, and for what is no proxy.
 */
export const takeProxy = (
  baseUrl: string,
  environment: Environment,
  { version, setGlobalProxyFromEnv }: ProxySupport = ownSupport,
): void => {
  const url = new URL(baseUrl);
  const upperCase = `${url.protocol.slice(0, -1).toUpperCase()}_PROXY`;
  const name = [upperCase.toLowerCase(), upperCase].find((one) => environment[one]);
  const excepted = environment.no_proxy || environment.NO_PROXY || '';
  if (name === undefined || isExcepted(url, excepted)) return;
  const proxy = proxyUrl(name, environment[name] ?? '');
  if (setGlobalProxyFromEnv) {
    setGlobalProxyFromEnv({ [upperCase]: proxy, NO_PROXY: excepted });
    return;
  }
  if (isTakenAtStart(version) && environment.NODE_USE_ENV_PROXY === '1') return;
  const how = isTakenAtStart(version) ? 'Set NODE_USE_ENV_PROXY=1, too' : 'Use Node.js 24';
  throw new CliError(
    `${name} is set, and Node.js ${version} takes no proxy by itself. ${how}; or have ${url.hostname} in NO_PROXY to go without.`,
  );
};

/** Whether Node.js takes proxies if a variable says so at its start: from 22.21 on, and from 24.0 on. */
const isTakenAtStart = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 21);
};

/** Names of hosts, or `.example.com` for all of a domain, or `*` for all; each with or without a port. */
const isExcepted = ({ hostname, host, port, protocol }: URL, list: string): boolean => {
  const withPort = port === '' ? `${hostname}:${protocol === 'https:' ? 443 : 80}` : host;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .some((one) => {
      const whole = /:\d+$/.test(one) ? withPort : hostname;
      const domain = /^\*?(\..+)$/.exec(one)?.[1];
      return one === '*' || one === whole || (domain !== undefined && whole.endsWith(domain));
    });
};

/** A proxy without a scheme speaks HTTP. What is wrong is not shown: it may have a password. */
const proxyUrl = (name: string, text: string): string => {
  const full = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(full) && /^https?:/i.test(full)) return full;
  throw new CliError(`${name} must be the URL of a proxy, such as http://proxy.example.com:3128.`);
};
