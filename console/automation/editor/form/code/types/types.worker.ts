import { nodeKit } from 'causeway:node-kit';
import { libraries, ts } from 'causeway:typescript';
import { CodeChecker } from './code-checker.ts';
import type { Asked, Start, Told } from './protocol.ts';

const tell = (told: Told) => postMessage(told);

addEventListener('message', ({ data }: MessageEvent<Start>) => void start(data), { once: true });

async function start({ language }: Start): Promise<void> {
  if (language === 'de') setMessages('de', (await import('causeway:typescript/de')).messages);
  const checker = new CodeChecker({ ts, libraries, nodeKit });
  // Reads the declarations of the language, so that no question waits for them.
  checker.faults({ text: '', scope: '' });
  addEventListener('message', ({ data }: MessageEvent<Asked>) => tell({ id: data.id, answer: answer(checker, data) }));
  tell('ready');
}

function answer(checker: CodeChecker, { kind, at, name, ...code }: Asked): unknown {
  switch (kind) {
    case 'faults':
      return checker.faults(code);
    case 'offers':
      return checker.offers(code, at);
    case 'type':
      return checker.typeAt(code, at);
    case 'offeredType':
      return checker.offeredType(code, at, name);
  }
}

/** The compiler reads its messages from a file of its package. */
function setMessages(locale: string, json: string): void {
  const files = {
    getExecutingFilePath: () => '/typescript.js',
    resolvePath: (path: string) => path,
    fileExists: () => true,
    readFile: () => json,
  };
  ts.validateLocaleAndSetLanguage(locale, files);
}
