/** Machines made of namespaces: what the demo's node and the nodes of a cluster are made with. */
@NullMarked
package io.ocicat.cli.machine;

import org.jspecify.annotations.NullMarked;
