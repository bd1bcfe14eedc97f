import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { CliError } from './cli-error.ts';

/** The decoder of a file, and the name of its encoding. */
export interface Encoding {
  /** The name in the Encoding Standard. */
  name: string;
  /** Whether nobody said so. */
  isGuess: boolean;
}

const utf8: Encoding = { name: 'utf-8', isGuess: true };

/** Windows has signs where Latin-1 has controls. Node.js decodes some of its versions wrongly. */
const windowsSigns = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** Bytes that are no sign of Windows-1252. */
const noSign = /[\u0081\u008d\u008f\u0090\u009d]/;

const wideNames = ['utf-16le', 'utf-16be'];

/**
 * The encoding of a file by its mark, or as it was said. Throws `CliError` where these differ, and for an unknown
 * encoding.
 */
export const encodingOf = async (file: string, said?: string): Promise<Encoding> => {
  const name = said === undefined ? undefined : nameOf(said);
  const head = await headOf(file);
  const marked = markOf(head);
  if (marked) {
    const isSame =
      name === undefined || name === marked || (isUtf16(said) && wideNames.includes(marked));
    if (isSame) return { name: marked, isGuess: false };
    throw new CliError(`The file begins with the mark of ${marked}: leave --encoding ${said} out.`);
  }
  const [a, b] = head;
  const seemsWide = a !== undefined && b !== undefined && (a === 0) !== (b === 0);
  if (isUtf16(said)) return { name: a === 0 ? 'utf-16be' : 'utf-16le', isGuess: false };
  if (!seemsWide || wideNames.includes(name ?? ''))
    return name === undefined ? utf8 : { name, isGuess: false };
  throw new CliError(
    `The file seems to be in UTF-16, without a mark. Say --encoding ${a === 0 ? 'utf-16be' : 'utf-16le'}.`,
  );
};

const isUtf16 = (said: string | undefined): boolean => /^utf-?16$/i.test(said ?? '');

/** Throws `CliError` for an encoding that is not known. */
export const nameOf = (said: string): string => {
  try {
    return new TextDecoder(said).encoding;
  } catch {
    throw new CliError(
      `--encoding “${said}” is not known. Say utf-8, latin1, windows-1252, utf-16 or another name of the Encoding Standard.`,
    );
  }
};

const headOf = async (file: string): Promise<Uint8Array> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

const markOf = ([a, b, c]: Uint8Array): string | undefined => {
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return a === 0xef && b === 0xbb && c === 0xbf ? 'utf-8' : undefined;
};

/** The text of a file, piece by piece. Throws `CliError` at bytes that its encoding does not have. */
export async function* textOf(file: string, encoding: Encoding = utf8): AsyncGenerator<string> {
  const decoder = decoderOf(encoding);
  let lines = 1;
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    const text = decode(chunk);
    lines += text.split('\n').length - 1;
    yield text;
  }
  yield decode(undefined);

  function decode(chunk: Uint8Array | undefined): string {
    try {
      return decoder(chunk);
    } catch (error) {
      throw error instanceof CliError ? error : new CliError(wrongBytes(encoding, lines));
    }
  }
}

type Decode = (chunk: Uint8Array | undefined) => string;

const decoderOf = ({ name }: Encoding): Decode => {
  const decode = name === 'windows-1252' ? ofWindows : ofStandard(name);
  return name.startsWith('utf-') ? decode : tellingUtf8(decode);
};

const ofStandard = (name: string): Decode => {
  const decoder = new TextDecoder(name, { fatal: true });
  return (chunk) => (chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode());
};

const ofWindows: Decode = (chunk) => {
  const text = Buffer.from(chunk ?? []).toString('latin1');
  if (noSign.test(text)) throw new RangeError('no sign');
  return text.replace(/[\u0080-\u009f]/g, (one) => windowsSigns[one.charCodeAt(0) - 0x80]!);
};

/** Throws `CliError` for a file in UTF-8: most other encodings take its bytes for other signs. By chance, no text in them is UTF-8. */
const tellingUtf8 = (decode: Decode): Decode => {
  const asUtf8 = new TextDecoder('utf-8', { fatal: true });
  let isUtf8 = true;
  let isAscii = true;
  const assertOther = () => {
    if (isUtf8 && !isAscii) throw new CliError('The file is in UTF-8: leave --encoding out.');
  };
  return (chunk) => {
    isAscii &&= chunk?.every((byte) => byte < 0x80) ?? true;
    isUtf8 &&= takes(asUtf8, chunk);
    if (chunk === undefined) assertOther();
    try {
      return decode(chunk);
    } catch (error) {
      assertOther();
      throw error;
    }
  };
};

const takes = (
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Uint8Array | undefined,
): boolean => {
  try {
    decoder.decode(chunk ?? new Uint8Array(), { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
};

const wrongBytes = ({ name, isGuess }: Encoding, line: number): string =>
  isGuess
    ? `The file is not in UTF-8, in line ${line} or soon after. Say --encoding windows-1252 if a spreadsheet of Windows saved it (windows-1250 in Central Europe, windows-1251 in Cyrillic), or save it as UTF-8 (in Excel: “CSV UTF-8”).`
    : `The file is not in ${name}, in line ${line} or soon after. Say another --encoding, or none.`;
