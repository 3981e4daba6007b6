/**
 * Attaches containers to flannel's network: flanneld says in a file which addresses are this
 * node's, and another plugin (bridge, unless told otherwise) does the work with them.
 */
@NullMarked
package io.ocicat.plugins.flannel;

import org.jspecify.annotations.NullMarked;
