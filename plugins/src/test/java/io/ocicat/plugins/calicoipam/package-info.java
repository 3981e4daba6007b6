@NullMarked
package io.ocicat.plugins.calicoipam;

import org.jspecify.annotations.NullMarked;
