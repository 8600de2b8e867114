import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** With the response that is being sent over it, a property of `node:http` that its types omit. */
type ServerSocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Answers a malformed request that never reaches a route: the parser gives up before there is a path, so the body is the same for every
 * API. A client that hung up gets nothing, nor does one that is receiving a response, because this one would become a part of it.
 */
export function answerMalformedRequest(log: Logger, error: Error & { code?: string }, socket: ServerSocket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, reason, message } = toRefusal(error.code);
  const requestId = randomUUID();
  log.info({ reqId: requestId, reason: error.code }, message);
  const body = JSON.stringify({ message, code: 'BAD_REQUEST' });
  if (socket.writable && !socket._httpMessage?.headersSent)
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\nx-request-id: ${requestId}\r\n` +
        `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  socket.destroy();
}

function toRefusal(code: string | undefined): { status: number; reason: string; message: string } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, reason: 'Request Timeout', message: 'The request did not arrive in time.' };
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The URL and the headers may have 32 KiB together. Send long values in the body of a POST.';
    return { status: 431, reason: 'Request Header Fields Too Large', message };
  }
  return { status: 400, reason: 'Bad Request', message: 'This is not a valid HTTP request.' };
}
