import { Writable } from 'node:stream';
import { format } from 'node:util';

/** What was said to each output. */
export interface Said {
  stdout: string;
  stderr: string;
}

/** What this process says meanwhile, as to a pipe, or to a terminal if told. Nothing of it is printed. */
export const heard = async (
  work: (said: Readonly<Said>) => Promise<void>,
  { isTerminal = false } = {},
): Promise<Said> => {
  const said: Said = { stdout: '', stderr: '' };
  const output = (name: keyof Said) => {
    const write = (chunk: unknown, _encoding: string, done: () => void) => {
      said[name] += String(chunk);
      done();
    };
    return Object.assign(new Writable({ write }), { isTTY: isTerminal });
  };
  const line =
    (name: keyof Said) =>
    (...parts: unknown[]) => {
      said[name] += `${format(...parts)}\n`;
    };
  const outputs = { stdout: output('stdout'), stderr: output('stderr') };
  const restoreProcess = replaceIn(process, outputs);
  const restoreConsole = replaceIn(console, { log: line('stdout'), error: line('stderr') });
  try {
    await work(said);
  } finally {
    restoreConsole();
    restoreProcess();
  }
  return said;
};

/** Gives an object other properties; the returned function gives it its own again. */
export const replaceIn = (object: object, properties: object): (() => void) => {
  const names = Object.keys(properties);
  const own = names.map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const);
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [name, descriptor] of own) {
      if (descriptor) Object.defineProperty(object, name, descriptor);
      else delete (object as Record<string, unknown>)[name];
    }
  };
};
