import { useQuery } from 'urql';
import { editorWords } from '#console/automation/editor/editor.words.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { EditorTemplates } from './editor-templates.documents.ts';
import { editorTemplateWords as w } from './templates.words.ts';

interface Props {
  editing: Editing;
  choose: (slug: string) => void;
}

/** What an empty graph begins with: a first node, or one of the templates. Once something starts the workflow, the node is the next step. */
export function EmptyGraph({ editing: { places, triggers, canEdit }, choose }: Props) {
  const isEmpty = places.size === triggers.length;
  const hasTrigger = triggers.length > 0;
  const offersTemplates = isEmpty && canEdit && !hasTrigger;
  const [{ data }] = useQuery({ query: EditorTemplates, pause: !offersTemplates });
  if (!isEmpty) return null;
  const templates = data?.templates.edges.map(({ node }) => node) ?? [];
  return (
    <div className="editor-empty">
      <p>{hasTrigger ? editorWords.firstNode : editorWords.emptyGraph}</p>
      {offersTemplates && templates.length > 0 && (
        <section aria-label={w.start}>
          <h2>{w.start}</h2>
          <ul className="editor-palette editor-templates">
            {templates.map(({ id, slug, name, description }) => (
              <li key={id}>
                <button type="button" className="editor-palette-node" onClick={() => choose(slug)}>
                  <span className="editor-node-name">{name}</span>
                  <span className="quiet">{description}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
