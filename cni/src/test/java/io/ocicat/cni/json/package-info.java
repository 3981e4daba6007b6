@NullMarked
package io.ocicat.cni.json;

import org.jspecify.annotations.NullMarked;
