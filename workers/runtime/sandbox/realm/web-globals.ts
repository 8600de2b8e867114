/** The usual globals that an isolate lacks. They take and return strings. */
import { provide } from './builtins.ts';
import { ask } from './host.ts';
import { cloneValue } from './structured-clone.ts';
import { Utf8Decoder, Utf8Encoder, decodeBase64, encodeBase64 } from './text-encoding.ts';
import { ParsedUrl, SearchParams } from './urls.ts';

provide('TextEncoder', Utf8Encoder);
provide('TextDecoder', Utf8Decoder);
provide('btoa', encodeBase64);
provide('atob', decodeBase64);
provide('structuredClone', (value: unknown) => cloneValue(value));
provide('URLSearchParams', SearchParams);
provide('URL', ParsedUrl);
provide('queueMicrotask', (callback: () => void) => void Promise.resolve().then(callback));
provide('crypto', {
  randomUUID: () => ask('uuid', '', '', ''),
  getRandomValues: (array: Uint8Array) => {
    if (!ArrayBuffer.isView(array) || array.byteLength > 65_536) {
      throw new RangeError('getRandomValues fills an integer array of at most 65536 bytes.');
    }
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const hex = ask('random', String(bytes.length), '', '');
    for (let index = 0; index < bytes.length; index += 1) {
      bytes[index] = Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);
    }
    return array;
  },
});
