import { useState } from 'react';
import { useClient } from 'urql';
import { bytesText } from '#console/words/values.ts';
import { stepFileWords as w } from './step-files.words.ts';
import { RunFile } from './steps.documents.ts';

interface Reference {
  file: string;
  name: string;
  size: number;
}

const maxFiles = 50;
const maxValues = 10_000;

/** Finds the file references in outputs, each once. */
function findFiles(outputs: unknown): Reference[] {
  const found = new Map<string, Reference>();
  const waiting = [outputs];
  for (let seen = 0; waiting.length > 0 && seen < maxValues && found.size < maxFiles; seen += 1) {
    const value = waiting.shift();
    if (typeof value !== 'object' || value === null) continue;
    const { file, name, size } = value as Partial<Record<keyof Reference, unknown>>;
    if (typeof file === 'string' && file.startsWith('file_') && typeof name === 'string' && typeof size === 'number')
      found.set(file, { file, name, size });
    else waiting.push(...(Object.values(value) as unknown[]));
  }
  return [...found.values()];
}

/** Downloads of the files to which the outputs of a step refer. */
export function StepFiles({ outputs }: { outputs: unknown }) {
  const files = findFiles(outputs);
  if (files.length === 0) return null;
  return (
    <div role="group" aria-label={w.files}>
      {files.map((each) => (
        <Download key={each.file} {...each} />
      ))}
    </div>
  );
}

function Download({ file, name, size }: Reference) {
  const client = useClient();
  const [fault, setFault] = useState<string>();
  const save = async (): Promise<void> => {
    const { data, error } = await client.query(RunFile, { file }, { requestPolicy: 'network-only' }).toPromise();
    setFault(error ? w.fileFailed : data?.runFile ? undefined : w.fileExpired);
    if (data?.runFile) follow(data.runFile.url);
  };
  return (
    <>
      <button type="button" className="button" onClick={() => void save()}>
        {w.download(name)} <span className="quiet">{bytesText(size)}</span>
      </button>
      {fault !== undefined && <span role="alert"> {fault}</span>}
    </>
  );
}

/** The server answers with an attachment, so the page stays. */
function follow(url: string): void {
  // The link has the public address of the server. This page may have another address.
  const { pathname, search } = new URL(url);
  const link = document.createElement('a');
  link.href = `${pathname}${search}`;
  link.download = '';
  link.click();
}
