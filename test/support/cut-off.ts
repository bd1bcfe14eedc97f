import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends a request that breaks off in the middle of its body. */
export const cutOff = async (port: number): Promise<void> => {
  const socket = connect(port, 'localhost').resume();
  socket.write(
    'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n',
  );
  // It is being read by now.
  await once(socket, 'data');
  socket.end('half');
  await once(socket, 'close');
};
