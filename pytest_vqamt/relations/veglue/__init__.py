"""Chang, Li, Li, Wang and Wang: VEglue. Testing visual entailment systems via object-aligned joint erasing."""
