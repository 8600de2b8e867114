import { useQuery } from 'urql';
import { editorWords } from '#console/automation/editor/editor.words.ts';
import { EditorTemplates } from './editor-templates.documents.ts';
import { editorTemplateWords as w } from './templates.words.ts';

/** What an empty graph begins with: a first node, or one of the templates. */
export function EmptyGraph({ choose }: { choose?: (slug: string) => void }) {
  const [{ data }] = useQuery({ query: EditorTemplates, pause: !choose });
  const templates = data?.templates.edges.map(({ node }) => node) ?? [];
  return (
    <div className="editor-empty">
      <p>{editorWords.emptyGraph}</p>
      {choose && templates.length > 0 && (
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
