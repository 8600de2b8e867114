import { useNavigate, useParams } from '@tanstack/react-router';
import {
  Autocomplete,
  Button,
  DialogTrigger,
  Dialog,
  Input,
  Menu,
  MenuItem,
  SearchField,
  useFilter,
} from 'react-aria-components';
import type { Me } from '#console/graph/viewer.documents.ts';
import { Popover } from '#console/ui/popover.tsx';
import { paletteWords } from './palette.words.ts';
import { shellWords } from './shell.words.ts';

/** The tenant in whose name everything is shown; with a search, since there may be hundreds. */
export function TenantList({ tenant, tenants }: { tenant: string; tenants: Me['tenants'] }) {
  const navigate = useNavigate();
  const { noun = 'overview' } = useParams({ strict: false });
  const { contains } = useFilter({ sensitivity: 'base' });
  const name = tenants.find(({ slug }) => slug === tenant)?.name ?? tenant;
  return (
    <DialogTrigger defaultOpen>
      <Button className="choices" aria-label={`${shellWords.tenant}: ${name}`}>
        {name}
      </Button>
      <Popover placement="bottom start">
        <Dialog className="menu-dialog" aria-label={shellWords.tenant}>
          {({ close }) => (
            <Autocomplete filter={contains}>
              <SearchField aria-label={paletteWords.findTenant} autoFocus>
                <Input className="input" placeholder={paletteWords.findTenant} />
              </SearchField>
              <Menu<Me['tenants'][number]>
                className="menu"
                items={tenants}
                renderEmptyState={() => <p className="menu-header">{paletteWords.nothingFound}</p>}
                onAction={(key) => {
                  close();
                  void navigate({ to: '/t/$tenant/$noun', params: { tenant: String(key), noun } });
                }}
              >
                {({ slug, name }) => (
                  <MenuItem id={slug} className="menu-item" textValue={`${name} ${slug}`}>
                    {name} <span className="quiet">{slug}</span>
                  </MenuItem>
                )}
              </Menu>
            </Autocomplete>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
