import type { AddRoutes } from '../context.ts';
import { addOwnedNameRoutesV1 } from './addresses.ts';
import { addNameRoutesV1 } from './names.ts';
import { addNamespaceRoutesV1 } from './namespaces.ts';

/** Routes of `/v1`, in the order of the OpenAPI document. */
export const ROUTES_V1: readonly AddRoutes[] = [addOwnedNameRoutesV1, addNameRoutesV1, addNamespaceRoutesV1];
