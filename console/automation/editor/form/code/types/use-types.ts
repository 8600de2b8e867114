import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLater } from '#console/ui/use-later.ts';
import type { AskTypes, CodeTypes } from './code-types.ts';
import { maxCodeLength } from './protocol.ts';
import { type ScopeSample, writeScope } from './scope-types.ts';
import { acquireTypeWorker } from './shared-worker.ts';
import type { TypeWorker } from './type-worker.ts';

const pauseMs = 300;

const none: CodeTypes['found'] = { text: '', faults: [] };

/** Checks the types of code some time after the last key, and answers about them. The compiler is loaded when this is first used. */
export function useTypes(text: string, sample: ScopeSample): CodeTypes {
  const [worker, setWorker] = useState<TypeWorker>();
  useEffect(() => {
    const { worker: acquired, release } = acquireTypeWorker();
    setWorker(acquired);
    return release;
  }, []);
  const { entries, values, config, inputs } = sample;
  const scope = useMemo(() => writeScope({ entries, values, config, inputs }), [entries, values, config, inputs]);
  // The editor has other line breaks than a text from elsewhere may have.
  const checked = useLater(text.replaceAll(/\r\n?/g, '\n'), pauseMs);
  const [found, setFound] = useState(none);
  useEffect(() => {
    if (!worker || checked.length > maxCodeLength) return;
    let isCurrent = true;
    void worker.ask({ kind: 'faults', text: checked, scope, at: 0, name: '' }).then((faults = []) => {
      if (isCurrent) setFound({ text: checked, faults });
    });
    return () => {
      isCurrent = false;
    };
  }, [worker, checked, scope]);
  const ask = useCallback<AskTypes>(
    async (kind, { text: asked, at, name = '' }) =>
      worker?.state === 'ready' && asked.length <= maxCodeLength
        ? worker.ask({ kind, text: asked, scope, at, name })
        : undefined,
    [worker, scope],
  );
  return useMemo(() => ({ ask, found }), [ask, found]);
}
