import type { AddRoutes } from '../context.ts';
import { addOwnedNameRoutes } from './addresses.ts';
import { addNameRoutes } from './names.ts';
import { addNamespaceRoutes } from './namespaces.ts';

/** Routes of `/v1`, in the order of the OpenAPI document. */
export const V1_ROUTES: readonly AddRoutes[] = [addOwnedNameRoutes, addNameRoutes, addNamespaceRoutes];
