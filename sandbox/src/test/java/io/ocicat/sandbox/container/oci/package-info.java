@NullMarked
package io.ocicat.sandbox.container.oci;

import org.jspecify.annotations.NullMarked;
