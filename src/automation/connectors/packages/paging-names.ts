/** Names of the parameters by which APIs ask for a page, in lower case and without brackets, dashes and underscores. */
export const parameterNames = {
  cursor: [
    'cursor',
    'pagecursor',
    'after',
    'pageafter',
    'pagetoken',
    'nexttoken',
    'nextpagetoken',
    'continuation',
    'continuationtoken',
    'scrollid',
    'pageinfo',
    'bookmark',
    'marker',
  ],
  page: ['page', 'pagenumber', 'pagenum', 'pageno', 'pageindex', 'currentpage', 'paginationpage'],
  offset: ['offset', 'pageoffset', 'skip', 'startindex', 'start'],
  last: ['startingafter', 'sinceid', 'searchafter'],
} as const;

/** Names of members of an answer, written in the same way. */
export const cursorNames = [
  'nextcursor',
  'endcursor',
  'nextpagetoken',
  'nexttoken',
  'nextpage',
  'continuationtoken',
  'continuation',
  'scrollid',
  'after',
  'next',
  'cursor',
  'bookmark',
  'nextmarker',
];
export const linkNames = ['odatanextlink', 'nextlink', 'nextpageurl', 'nexturl', 'next'];
export const totalNames = [
  'total',
  'totalcount',
  'totalelements',
  'totalitems',
  'totalrecords',
  'totalresults',
  'recordcount',
];
export const pagesNames = ['totalpages', 'pagecount', 'lastpage', 'pages', 'pagestotal'];
export const moreNames = ['hasmore', 'hasnext', 'hasnextpage', 'morerecords', 'hasmoreitems'];
export const listNames = [
  'data',
  'items',
  'results',
  'value',
  'values',
  'records',
  'elements',
  'content',
  'entries',
  'list',
  'result',
  'rows',
  'nodes',
  'edges',
];

/** Names of lists that accompany the requested list. */
export const besideLists = ['included', 'errors', 'warnings', 'messages', 'links'];
