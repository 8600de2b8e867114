import { watch } from 'node:fs';
import { sep } from 'node:path';

const settleMs = 100;
const ignored = new Set(['node_modules', '.git']);

export interface FolderWatcher {
  /** Resolves once no change is being handled. */
  close(): Promise<void>;
}

/** Calls `changed` once for files that change shortly after each other, and never concurrently. A failure does not end the watch. */
export function watchFolder(
  folder: string,
  changed: () => Promise<void>,
  onError: (error: unknown) => void,
): FolderWatcher {
  let settling: NodeJS.Timeout | undefined;
  let handling = Promise.resolve();
  const watcher = watch(folder, { recursive: true }, (_event, file) => {
    if (file === null || file.endsWith('.d.json.ts') || file.split(sep).some((part) => ignored.has(part))) return;
    clearTimeout(settling);
    settling = setTimeout(() => {
      handling = handling.then(changed).catch(onError);
    }, settleMs);
  });
  return {
    close() {
      watcher.close();
      clearTimeout(settling);
      return handling;
    },
  };
}
