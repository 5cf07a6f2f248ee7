import fc from '../../support/fast-check.ts';
import { at, numbers, on, query, type Requests } from './parameters.ts';
import type { Subjects } from './subjects.ts';

/** Names and their zone files. */
export const ofNames = ({ address, principal, name, zoneFileHash }: Subjects): Requests => [
  at('/v1/addresses/stacks/*', address),
  fc
    .array(principal, { minLength: 1, maxLength: 3 })
    .map(principals => `/extended/v3/names?principal=${principals.join(',')}`),
  on(fc.constantFrom('/v1/names', '/v1/namespaces/id/names', '/v1/namespaces/none/names'), namePage),
  fc.constant('/v1/namespaces'),
  { weight: 2, arbitrary: at('/v1/names/*', name) },
  at('/v1/names/*/zonefile', name),
  at('/v1/names/*/zonefile/*', name, zoneFileHash),
  at('/v1/names/*/subdomains', name),
];

const namePage = query(numbers('page', 1));
