import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import type { CodeTypes } from './code-types.ts';
import { faultText } from './fault-text.ts';

const pauseMs = 400;

/** Shows the type of what is under the pointer, and what is wrong with it. */
export const typeTooltip = (types: () => CodeTypes): Extension =>
  hoverTooltip(
    async (view, at) => {
      const text = view.state.doc.toString();
      const { ask, found } = types();
      const type = await ask('type', { text, at });
      const fault = found.text === text ? found.faults.find(({ from, to }) => from <= at && at <= to) : undefined;
      const place = type ?? fault;
      if (!place || text !== view.state.doc.toString()) return null;
      return { pos: place.from, end: place.to, above: true, create: () => ({ dom: draw(type?.text, fault) }) };
    },
    { hoverTime: pauseMs },
  );

function draw(type: string | undefined, fault: CodeTypes['found']['faults'][number] | undefined): HTMLElement {
  const box = document.createElement('div');
  box.className = 'code-type';
  const add = (name: 'p' | 'code', text: string) => {
    const element = document.createElement(name);
    element.textContent = text;
    box.append(element);
  };
  if (fault) add('p', faultText(fault));
  // The compiler calls the type of what is at fault `any`.
  if (type !== undefined && !(fault && type === 'any')) add('code', type);
  return box;
}
