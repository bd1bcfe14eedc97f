import type { IncomingMessage } from 'node:http';

/** All bytes of a message. `node:stream/consumers` makes a Blob of them first, which takes several times as long. */
export const bytesOf = (message: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk) => chunks.push(chunk));
    message.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    message.on('error', reject);
  });
