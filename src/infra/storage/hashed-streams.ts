import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { AppError } from '#src/infra/errors.ts';
import { createCollector } from './stream-garbage.ts';

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The content is larger than ${maxBytes} bytes.`);

/** Passes bytes on while counting and hashing them; fails with PAYLOAD_TOO_LARGE above `maxBytes`. */
export const measure = (maxBytes: number): { through: Transform; result: () => { sha256: string; bytes: number } } => {
  const hash = createHash('sha256');
  const collect = createCollector();
  let bytes = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) return done(tooLarge(maxBytes));
      hash.update(chunk);
      collect(chunk.length);
      return done(null, chunk);
    },
  });
  return { through, result: () => ({ sha256: hash.digest('hex'), bytes }) };
};

/** Passes bytes on and fails at the end when their hash differs, so that a damaged disk never affects a run's result. */
export const verify = (sha256: string): Transform => {
  const hash = createHash('sha256');
  const collect = createCollector();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      collect(chunk.length);
      done(null, chunk);
    },
    flush(done) {
      done(hash.digest('hex') === sha256 ? null : new Error(`The object sha256:${sha256} is damaged in storage.`));
    },
  });
};
