import type { Client } from 'urql';
import { mutate } from '#console/graph/mutate.ts';
import { type FileAddress, sendFile } from '#console/ui/send-file.ts';
import type { Source } from './api.ts';
import { CreateUpload } from './connect.documents.ts';
import { connectWords as w } from './connect.words.ts';

/** A larger file is sent as an upload of the tenant; smaller ones fit in the request. */
const maxInline = 400_000;

/** Makes a file an input of the graph. Returns a message for the user if the file cannot be sent. */
export async function sendSource(client: Client, file: File, signal: AbortSignal): Promise<Source | string> {
  const filename = file.name.slice(-191);
  if (file.size <= maxInline) return { text: await file.text(), filename };
  const contentType = file.type || 'application/octet-stream';
  const made = await mutate(client, CreateUpload, { filename, contentType, size: file.size });
  if (made.refusal) return made.refusal.message;
  const address = made.payload['target'] as FileAddress;
  const status = await sendFile(file, address, () => undefined, signal);
  return status >= 200 && status < 300 ? { uploadId: (made.payload['upload'] as { id: string }).id } : w.sendFailed;
}
