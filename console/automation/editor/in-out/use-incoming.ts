import { useState } from 'react';
import { nodesOf, type Point } from '#console/automation/editor/model/graph.ts';
import { mostCharacters, readPaste } from '#console/automation/editor/model/read-paste.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { inOutWords as w } from './in-out.words.ts';
import { type Found, insertPart, refusePaste, replaceGraph } from './insert.ts';

/** A whole workflow that was brought in while there is a graph: whether it replaces that is asked. */
export interface Incoming {
  source: string;
  count: number;
  replace: () => void;
  insert: () => void;
  cancel: () => void;
}

/** Takes in the text or the file of a graph. */
export function useIncoming(editing: Editing) {
  const [asked, ask] = useState<{ source: string; found: Found; at: Point }>();
  const insert = ({ part }: Found, source: string, at: Point) =>
    insertPart(editing, part, { label: w.insert, source, loop: '', at });
  const receive = (text: string, source: string, at: Point) => {
    const found = readPaste(text);
    if ('fault' in found) refusePaste(found.fault, source);
    else if (!found.whole) insert(found, source, at);
    else if (nodesOf(editing.graph).size === 0) replaceGraph(editing, found.whole, source);
    else ask({ source, found, at });
  };
  const answer = (act: () => void) => () => {
    act();
    ask(undefined);
  };
  const incoming: Incoming | undefined = asked && {
    source: asked.source,
    count: nodesOf(asked.found.part).size,
    replace: answer(() => asked.found.whole && replaceGraph(editing, asked.found.whole, asked.source)),
    insert: answer(() => insert(asked.found, asked.source, asked.at)),
    cancel: answer(() => undefined),
  };
  return {
    incoming,
    receive,
    /** Reads a file, unless it is too large to be read at all. */
    open: async (file: File, at: Point) => {
      if (file.size > 4 * mostCharacters) refusePaste('too-large', file.name);
      else receive(await file.text(), file.name, at);
    },
  };
}
