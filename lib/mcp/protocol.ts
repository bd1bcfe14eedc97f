import type { Reply } from '../operations/request.ts';
import { isObject, ProtocolError, parseMessage, type RpcMessage, versions } from './message.ts';

/** The tools that a caller has. What its functions throw, `answerMessage` throws. */
export interface Toolbox {
  info: { name: string; title: string; version: string };
  /** How to use the tools, for models. */
  instructions: string;
  /** Throws for who is no caller, as `list` and `call` do. Asked again it costs nothing. */
  admit(): Promise<unknown>;
  list(): Promise<readonly object[]>;
  /** Gives undefined where there is no such tool. */
  call(name: string, given: Record<string, unknown>): Promise<object | undefined>;
}

/** The value of a header that was sent. */
type HeaderOf = (name: string) => string | undefined;

const ours = 'io.modelcontextprotocol/';
const [newest, ...withSession] = versions;
const capabilities = { tools: {} };
/** How long clients may keep what they were told: a role changes seldom. */
const cached = { ttlMs: 5 * 60 * 1000, cacheScope: 'private' };

// docs/decisions/agents.md
/**
 * Answers a message of the Model Context Protocol, without sessions: of 2026-07-28, where each request says its version,
 * and of 2025-11-25 and 2025-06-18, which begin with `initialize`.
 */
export const answerMessage = async (
  sent: unknown,
  headerOf: HeaderOf,
  toolbox: Toolbox,
): Promise<Reply> => {
  let id: RpcMessage['id'];
  try {
    const message = parseMessage(sent);
    id = message.id;
    if (message.method !== 'tools/call') await toolbox.admit();
    if (id === undefined) return { status: 202, body: undefined };
    const answer = isOfNewest(message, headerOf) ? answerNewest : answerEarlier;
    return { body: { jsonrpc: '2.0', id, result: await answer(message, toolbox, headerOf) } };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    await toolbox.admit();
    return { status: error.status, body: { jsonrpc: '2.0', id, error: error.error } };
  }
};

const isOfNewest = ({ method, params }: RpcMessage, headerOf: HeaderOf): boolean => {
  const version = headerOf('MCP-Protocol-Version');
  const saysVersion = isObject(params._meta) && `${ours}protocolVersion` in params._meta;
  if (saysVersion || version === newest) return true;
  if (version && method !== 'initialize') assertVersion(version, versions);
  return false;
};

const assertVersion = (requested: string, supported: readonly unknown[]): void => {
  if (supported.includes(requested)) return;
  const data = { supported: versions, requested };
  throw new ProtocolError(-32022, 'Unsupported protocol version', 400, data);
};

const answerNewest = async (message: RpcMessage, toolbox: Toolbox, headerOf: HeaderOf) => {
  assertMetadata(message, headerOf);
  const { info, instructions } = toolbox;
  const about = { resultType: 'complete', _meta: { [`${ours}serverInfo`]: info } };
  if (message.method === 'server/discover') {
    return { ...about, supportedVersions: versions, capabilities, instructions, ...cached };
  }
  const isList = message.method === 'tools/list';
  return { ...about, ...(await useTools(message, toolbox, 404)), ...(isList && cached) };
};

/** What stands between client and server reads the headers alone: so they say what the body says. */
const assertMetadata = ({ method, params }: RpcMessage, headerOf: HeaderOf): void => {
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta[`${ours}protocolVersion`];
  if (typeof version !== 'string' || !isObject(meta[`${ours}clientCapabilities`])) {
    const message = 'params._meta must have protocolVersion and clientCapabilities';
    throw new ProtocolError(-32602, message, 400);
  }
  assertHeader('MCP-Protocol-Version', headerOf, version);
  assertHeader('Mcp-Method', headerOf, method);
  if (method === 'tools/call') assertHeader('Mcp-Name', headerOf, params.name);
  assertVersion(version, [newest]);
};

const assertHeader = (name: string, headerOf: HeaderOf, expected: unknown): void => {
  const sent = headerOf(name)?.trim();
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(sent ?? '') ?? [];
  if (expected === (encoded ? Buffer.from(encoded, 'base64').toString() : (sent ?? null))) return;
  throw new ProtocolError(-32020, `Header mismatch: ${name} must be as in the body`, 400);
};

const answerEarlier = async (message: RpcMessage, toolbox: Toolbox): Promise<object> => {
  if (message.method === 'ping') return {};
  if (message.method !== 'initialize') return useTools(message, toolbox, 200);
  const { info: serverInfo, instructions } = toolbox;
  const requested = message.params.protocolVersion;
  const protocolVersion = withSession.find((version) => version === requested) ?? withSession[0];
  return { protocolVersion, capabilities, serverInfo, instructions };
};

const useTools = async ({ method, params }: RpcMessage, toolbox: Toolbox, ifUnknown: number) => {
  if (method === 'tools/list') return { tools: await toolbox.list() };
  if (method !== 'tools/call') throw new ProtocolError(-32601, 'Method not found', ifUnknown);
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string' || !isObject(given)) {
    throw new ProtocolError(-32602, 'params must have a name, and arguments that are an object');
  }
  const result = await toolbox.call(name, given);
  if (!result) throw new ProtocolError(-32602, `Unknown tool: ${name.slice(0, 100)}`);
  return result;
};
