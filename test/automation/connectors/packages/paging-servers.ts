/** The parts of a request that may name a page. */
export interface PageRequest {
  url: URL;
  body: Readonly<Record<string, unknown>>;
}

const size = 3;

export const records = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }));

const byNumber = (page: unknown) => {
  const start = (Number(page ?? 1) - 1) * size;
  return { data: records.slice(start, start + size), hasNext: start + size < records.length };
};
const readQueried = ({ url }: PageRequest) => byNumber(url.searchParams.get('page'));

/** The address of a request with one other parameter. */
function linkTo(url: URL, name: string, value: number): string {
  const link = new URL(url);
  link.searchParams.set(name, String(value));
  return link.href;
}

const odata = ({ url: { searchParams } }: PageRequest) => {
  const start = Number(searchParams.get('$skiptoken') ?? searchParams.get('$skip') ?? 0);
  const end = start + size;
  return { data: records.slice(start, end), next: end < records.length ? end : undefined };
};

/** Servers that page in the style that a description states. They heed no other way to ask for a page. */
export const pagingServers: Readonly<Record<string, (request: PageRequest) => unknown>> = {
  'page with totals': (request) => ({
    Paging: { Page: Number(request.url.searchParams.get('page') ?? 1), PageSize: size, TotalPages: 3, TotalRows: 7 },
    Data: readQueried(request).data,
  }),
  'page of a bare list': (request) => readQueried(request).data,
  'page of payload': (request) => ({ payload: readQueried(request).data }),
  'page of data.payload': (request) => ({ data: { meta: { all_count: 7 }, payload: readQueried(request).data } }),
  'page of result': (request) => ({ result: readQueried(request).data }),
  'page in the body': ({ url, body }) => {
    const { data, hasNext } = byNumber(body['page']);
    return { meta: {}, data, links: hasNext ? { next: linkTo(url, 'page', Number(body['page'] ?? 1) + 1) } : {} };
  },
  'links.next': (request) => {
    const { data, hasNext } = readQueried(request);
    const page = Number(request.url.searchParams.get('page') ?? 1);
    return {
      data,
      meta: { currentPage: page },
      links: { next: hasNext ? linkTo(request.url, 'page', page + 1) : null },
    };
  },
  $skip: ({ url }) => {
    const start = Number(url.searchParams.get('$skip') ?? 0);
    return { value: records.slice(start, start + size) };
  },
  'OData 2': (request) => {
    const { data, next } = odata(request);
    return { d: { results: data, ...(next !== undefined && { __next: linkTo(request.url, '$skiptoken', next) }) } };
  },
  'OData 4': (request) => {
    const { data, next } = odata(request);
    return { value: data, ...(next !== undefined && { '@odata.nextLink': linkTo(request.url, '$skiptoken', next) }) };
  },
};
