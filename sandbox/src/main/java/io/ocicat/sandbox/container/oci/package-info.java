/** The OCI runtime specification of a container, from what CRI and its image say. */
@NullMarked
package io.ocicat.sandbox.container.oci;

import org.jspecify.annotations.NullMarked;
